import type * as vscode from 'vscode';

/** Builds the object graph and returns. The panel, the approvals and the landing of patches come with their issue. */
export function activate(_context: vscode.ExtensionContext): void {}
