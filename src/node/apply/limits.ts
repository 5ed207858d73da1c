/** Above this a file is not text for us: nobody reviews it, and VS Code opens it only half (issue 5, point 4). */
export const MAX_TEXT_BYTES = 50 * 1024 * 1024;

/** Looked at or written before others get their turn: about a millisecond's work. */
export const FILES_AT_ONCE = 16;
