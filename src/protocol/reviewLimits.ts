/** Maximum number of characters of the user's reason for rejecting a hunk. */
export const MAX_HUNK_REASON = 1_000;
