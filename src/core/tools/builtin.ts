import type { ToolFamily, ToolHandler, ToolOptions } from './handler.ts';
import { applyPatch } from './handlers/applyPatch.ts';
import { grepFiles } from './files/grepFiles.ts';
import { listDir } from './files/listDir.ts';
import { readFile } from './files/readFile.ts';
import { viewImage } from './files/viewImage.ts';
import { execCommand, shellAliases } from './handlers/execCommand.ts';
import { savingFirst } from './savingFirst.ts';
import { fetchUrl } from './web/fetchUrl.ts';
import { webSearch } from './web/webSearch.ts';
import { writeStdin } from './handlers/writeStdin.ts';

/** The tools that run commands and change files, in the order the model is offered them. */
export function builtinTools(family: ToolFamily, options: ToolOptions): readonly ToolHandler[] {
  return [
    savingFirst(execCommand(options, family.shell === 'exec_command'), options.saveBeforeCommands),
    writeStdin(family.shell === 'exec_command'),
    savingFirst(shellAliases(options, family.shell === 'local_shell'), options.saveBeforeCommands),
    applyPatch(family, options),
    readFile(family.fileTools),
    listDir(family.fileTools),
    grepFiles(family.fileTools),
    viewImage(family.images),
    fetchUrl(options),
    ...searchTool(family, options),
  ];
}

/** The server fetches no live pages for the model where commands may not use the network. */
function searchTool({ mayConnect = false }: ToolFamily, options: ToolOptions): readonly ToolHandler[] {
  return options.webSearch === 'off' ? [] : [webSearch(options.webSearch === 'live' && mayConnect)];
}
