/** The model's output for an applied or failed patch. */
import { formatPatchReport, type PatchReportEntry } from '../../patch/report.ts';
import type { AppliedFile } from '../../ports.ts';

/**
 * The shape of codex-behaviour.md §1.7, plus what the model cannot know: files left unsaved, files that a formatter
 * changed.
 */
export function successText(
  report: readonly PatchReportEntry[],
  files: readonly AppliedFile[],
  seconds: number,
  more: readonly string[] = [],
): string {
  const unsaved = files.filter((file) => !file.saved).map((file) => file.path);
  const reformatted = files.filter((file) => file.reformatted).map((file) => file.path);
  const notes = [
    ...(unsaved.length > 0
      ? [
          `In the editor but not saved (the user has unsaved edits there, or saving failed), so commands still see the old text: ${unsaved.join(', ')}`,
        ]
      : []),
    ...(reformatted.length > 0
      ? [`Changed further by a formatter on save; read again before editing: ${reformatted.join(', ')}`]
      : []),
  ];
  return [
    'Exit code: 0',
    `Wall time: ${seconds.toFixed(1)} seconds`,
    `Output:\n${formatPatchReport(report)}`,
    ...notes,
    ...more,
  ].join('\n');
}

/** The sentence for the model: why a patch failed, and which files the rollback could not restore. */
export function failureText(message: string, notRestored: readonly string[]): string {
  const left =
    notRestored.length > 0 ? ` These could not be restored: ${notRestored.join(', ')}.` : ' Nothing was changed.';
  return `The patch could not be applied: ${message.replace(/\.$/, '')}.${left}`;
}
