import * as vscode from 'vscode';

/**
 * A context key for `when` clauses. The returned function sets it, and does nothing when the value has not changed since
 * its last call: VS Code evaluates every `when` clause again after each `setContext`.
 */
export function contextKey<Value>(name: string): (value: Value) => void {
  let current: string | undefined;
  return (value) => {
    const serialized = JSON.stringify(value);
    if (serialized === current) return;
    current = serialized;
    void vscode.commands.executeCommand('setContext', name, value);
  };
}
