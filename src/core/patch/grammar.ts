/** The explanation of the patch format for models. The prompt cache depends on every character. */

/**
 * In Lark, for tools that take text in a grammar. Narrower than the parser, so that models write only the standard
 * form.
 */
export const PATCH_GRAMMAR = `start: begin operation+ end
begin: "*** Begin Patch" LF
end: "*** End Patch" LF?

operation: add_file | delete_file | update_file
add_file: "*** Add File: " path LF new_line+
delete_file: "*** Delete File: " path LF
update_file: "*** Update File: " path LF move_to? chunks?
move_to: "*** Move to: " path LF
path: /(.+)/

chunks: (chunk_marker | chunk_line)+ end_of_file?
chunk_marker: ("@@" | "@@ " /(.+)/) LF
chunk_line: ("+" | "-" | " ") /(.*)/ LF
new_line: "+" /(.*)/ LF
end_of_file: "*** End of File" LF

%import common.LF
`;

/** For models that get the patch as a JSON string, or were not trained on the format. */
export const PATCH_INSTRUCTIONS = `A patch is text in this form:

*** Begin Patch
*** Add File: docs/new.md
+every line of a new file starts with +
*** Update File: src/app.py
*** Move to: src/main.py
@@ def greet():
     name = ask()
-    print("Hi")
+    print(f"Hi, {name}")
     log()
*** Delete File: old.txt
*** End Patch

- Each operation is Add (replaces an existing file), Update (with an optional Move to, directly below) or Delete. Use relative paths.
- Chunks of an Update go from top to bottom. Each starts with @@. Lines start with a space (unchanged), - (old) or + (new).
- Quote about 3 unchanged lines above and below a change, as they are in the file, without line numbers. If they stand in several places, write a line above them, such as a class or function, after @@ (the rest of the chunk is searched below that line); stack several @@ lines for deeper nesting.
- A chunk with only + lines adds at the end of the file. Write *** End of File after a chunk that must match the last lines.
- If any part does not match, nothing is changed.`;
