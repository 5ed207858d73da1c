/** The argument that the Testing view passes to a command: a test, or a message of a test. */
import * as vscode from 'vscode';
import type { LineRange } from '../../protocol/lineRange.ts';

/** The part of `vscode.TestItem` that is used. */
export type TestOfView = Pick<vscode.TestItem, 'label' | 'uri' | 'range' | 'parent'>;

export interface FailingTest {
  /** Preceded by the names of its suites, the outermost first. */
  readonly name: string;
  readonly uri: vscode.Uri | undefined;
  readonly lines: LineRange | undefined;
  /** The message of the test run; empty where it is not known. */
  readonly message: string;
}

/** `undefined` for anything else, such as the arguments of the palette. */
export function failingTest(given: unknown): FailingTest | undefined {
  if (!isObject(given)) return undefined;
  if (isTest(given)) return described(given, '');
  const { test, message } = given;
  if (!isObject(test) || !isTest(test)) return undefined;
  return described(test, isObject(message) ? textOf(message) : '');
}

function described(test: TestOfView, message: string): FailingTest {
  const names: string[] = [];
  for (let suite: TestOfView | undefined = test; suite !== undefined; suite = suite.parent) names.unshift(suite.label);
  const { uri, range } = test;
  const lines = range && { first: range.start.line + 1, last: range.end.line + 1 };
  return { name: names.join(' › '), uri, lines, message };
}

function textOf({ message, expectedOutput, actualOutput, location }: Partial<vscode.TestMessage>): string {
  const text = typeof message === 'string' ? message : (message?.value ?? '');
  const place = location && `${vscode.workspace.asRelativePath(location.uri)}:${location.range.start.line + 1}`;
  return [
    text,
    ...(expectedOutput === undefined ? [] : [`Expected:\n${expectedOutput}`]),
    ...(actualOutput === undefined ? [] : [`Actual:\n${actualOutput}`]),
    ...(place === undefined ? [] : [`at ${place}`]),
  ].join('\n');
}

function isTest(given: Readonly<Record<string, unknown>>): given is Readonly<Record<string, unknown>> & TestOfView {
  return typeof given['label'] === 'string' && typeof given['id'] === 'string' && 'uri' in given;
}

function isObject(given: unknown): given is Readonly<Record<string, unknown>> {
  return typeof given === 'object' && given !== null;
}
