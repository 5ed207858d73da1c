/** A thread that a command is about: named by a context menu, else the one that is shown. */
export interface ThreadContext {
  readonly threadId?: string;
  /** The message it is about. */
  readonly itemId?: string | null;
}
