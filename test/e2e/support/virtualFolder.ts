/** A VS Code extension that serves a folder of the disk under its own URI schemes: `shelf:` and, read-only, `glass:`. */
import { writeTestExtension } from './testExtension.ts';

/** Runs in VS Code's extension host, as CommonJS. */
const SOURCE = `
const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');

function provider(base) {
  const at = (uri) => path.join(base, uri.path);
  const changed = new vscode.EventEmitter();
  const type = (stats) => (stats.isDirectory() ? vscode.FileType.Directory : vscode.FileType.File);
  const asked = (uri, action) => {
    try {
      return action(at(uri));
    } catch (error) {
      throw error.code === 'ENOENT' ? vscode.FileSystemError.FileNotFound(uri) : error;
    }
  };
  const tell = (kind, uri) => changed.fire([{ type: vscode.FileChangeType[kind], uri }]);
  return {
    onDidChangeFile: changed.event,
    watch: () => new vscode.Disposable(() => {}),
    stat: (uri) =>
      asked(uri, (file) => {
        const stats = fs.statSync(file);
        return { type: type(stats), ctime: stats.ctimeMs, mtime: stats.mtimeMs, size: stats.size };
      }),
    readDirectory: (uri) =>
      asked(uri, (file) => fs.readdirSync(file, { withFileTypes: true }).map((entry) => [entry.name, type(entry)])),
    createDirectory: (uri) => asked(uri, (file) => fs.mkdirSync(file)),
    readFile: (uri) => asked(uri, (file) => new Uint8Array(fs.readFileSync(file))),
    writeFile: (uri, content) =>
      asked(uri, (file) => {
        fs.writeFileSync(file, content);
        tell('Changed', uri);
      }),
    delete: (uri) =>
      asked(uri, (file) => {
        fs.rmSync(file, { recursive: true });
        tell('Deleted', uri);
      }),
    rename: (from, to) =>
      asked(from, (file) => {
        fs.renameSync(file, at(to));
        tell('Deleted', from);
        tell('Created', to);
      }),
  };
}

exports.activate = ({ subscriptions, extensionPath }) => {
  const register = (scheme, options) =>
    vscode.workspace.registerFileSystemProvider(scheme, provider(path.join(extensionPath, scheme)), options);
  subscriptions.push(register('shelf', { isCaseSensitive: true }));
  subscriptions.push(register('glass', { isCaseSensitive: true, isReadonly: true }));
};
`;

/** Both schemes serve `<folder>/<scheme>/<path of the address>`. */
export function writeVirtualFolder(folder: string): Promise<string> {
  const activationEvents = ['onFileSystem:shelf', 'onFileSystem:glass'];
  return writeTestExtension(folder, { name: 'virtual-folder', activationEvents, source: SOURCE });
}
