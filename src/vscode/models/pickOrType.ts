import * as vscode from 'vscode';

interface PickOptions<Row> {
  readonly title: string;
  readonly placeHolder: string;
  /** Returns a further row, first in the list, for the user's text. */
  readonly rowOf: (typed: string) => Row | undefined;
}

/** Like `showQuickPick`, for choices that may also be typed. `undefined` when the user cancels. */
export async function pickOrType<Row extends vscode.QuickPickItem>(
  rows: readonly Row[],
  { title, placeHolder, rowOf }: PickOptions<Row>,
): Promise<Row | undefined> {
  const picker = vscode.window.createQuickPick<Row>();
  try {
    picker.title = title;
    picker.placeholder = placeHolder;
    picker.matchOnDescription = true;
    picker.items = rows;
    return await new Promise<Row | undefined>((resolve) => {
      picker.onDidChangeValue((typed) => {
        const row = rowOf(typed);
        picker.items = row === undefined ? rows : [row, ...rows];
      });
      picker.onDidAccept(() => resolve(picker.activeItems[0]));
      picker.onDidHide(() => resolve(undefined));
      picker.show();
    });
  } finally {
    picker.dispose();
  }
}
