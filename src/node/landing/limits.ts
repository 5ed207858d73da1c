/** Above this a file is not text for us: nobody reviews it, and VS Code opens it only half (issue 5, point 4). */
export const MAX_TEXT_BYTES = 50 * 1024 * 1024;
