/** Says something to whoever runs the suite; marked where VS Code's own lines arrive at the same place. */
export function say(text: string): void {
  console.log(`${process.env.TILLER_TEST_MARK ?? ''}${text}`);
}
