/** In characters: why the user rejects one hunk of a patch. */
export const MAX_HUNK_REASON = 1_000;
