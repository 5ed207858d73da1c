// Opens Tiller and sends the task, like the command "Tiller: Ask…". It does so once for each folder, because a reload
// must not send it again. Only `npm start` installs this extension.
const vscode = require('vscode');

exports.activate = async (context) => {
  const task = process.env.TILLER_START_TASK;
  if (!task || context.workspaceState.get('asked') || !vscode.workspace.isTrusted) {
    context.subscriptions.push(vscode.workspace.onDidGrantWorkspaceTrust(() => exports.activate(context)));
    return;
  }
  await context.workspaceState.update('asked', true);
  await vscode.commands.executeCommand('tiller.ask', task);
};
