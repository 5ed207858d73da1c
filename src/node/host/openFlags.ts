import { constants } from 'node:fs';

/** Flags for opening files: follow no link, and do not block on a pipe. Windows has neither flag. */
export const NO_LINK = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
