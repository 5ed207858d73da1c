// Reloads the window when scripts/dev.mjs has rebuilt Tiller: the build touches artifacts/dev/built.
const { realpathSync, watch } = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');

exports.activate = (context) => {
  const folder = path.join(realpathSync(__dirname), '../../../artifacts/dev');
  const watcher = watch(folder, (_event, name) => {
    if (name === 'built') void vscode.commands.executeCommand('workbench.action.reloadWindow');
  });
  context.subscriptions.push({ dispose: () => watcher.close() });
};
