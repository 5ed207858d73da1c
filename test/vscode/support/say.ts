/** Prints a line for the runner of the suite; marked, as lines of VS Code appear in the same output. */
export function say(text: string): void {
  console.log(`${process.env.TILLER_TEST_MARK ?? ''}${text}`);
}
