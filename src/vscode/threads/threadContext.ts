/** The thread of a command: named by a context menu, else the shown one. */
export interface ThreadContext {
  readonly threadId?: string;
  /** The message that the command is about. */
  readonly itemId?: string | null;
}
