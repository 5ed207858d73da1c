/** Larger files are not treated as text: they cannot be reviewed, and VS Code opens only half of them. */
export const MAX_TEXT_BYTES = 50 * 1024 * 1024;

/** Files read or written before other work of the process gets a turn: about a millisecond's work. */
export const FILES_AT_ONCE = 16;
