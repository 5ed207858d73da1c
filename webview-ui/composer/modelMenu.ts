/** The state of the model menu: the models that the host knows, and the search text. */
import { computed, signal } from '@preact/signals';
import type { ModelGroup, ModelRow } from '../../src/protocol/modelMenu.ts';
import { fuzzyMatch } from '../../src/protocol/text/fuzzyMatch.ts';
import type { HostMessage, PanelSettings } from '../../src/protocol/wire.ts';
import { setUpProvider } from '../actions.ts';
import { post } from '../bridge.ts';
import { settings } from '../store.ts';
import { afterModelChoice } from '../view.ts';
import { choose } from './choices.ts';

/** One row that the user can select. */
export type MenuRow =
  | { readonly type: 'model'; readonly group: ModelGroup; readonly model: ModelRow; readonly isCurrent: boolean }
  /** A model name that the user has typed and that the provider does not list. */
  | { readonly type: 'typed'; readonly group: ModelGroup; readonly model: string }
  /** Sets up the provider: it lists no models, or more than are shown. */
  | { readonly type: 'set_up'; readonly group: ModelGroup };

/** A provider with its rows. */
export interface MenuGroup {
  readonly group: ModelGroup;
  readonly rows: readonly MenuRow[];
}

export const query = signal('');
const answer = signal<{ readonly id: number; readonly groups: readonly ModelGroup[] }>({ id: 0, groups: [] });
/** The index of the active row; `null` for the row of the model in use, or the best match. */
const chosenIndex = signal<number | null>(null);
let asked = 0;

export const menuGroups = computed((): readonly MenuGroup[] => {
  const wanted = query.value.trim();
  const { value } = settings;
  const found = answer.value.groups.flatMap((group): MenuGroup[] => {
    const rows = wanted === '' ? allRows(group, value) : matchingRows(group, wanted, value);
    return rows.length === 0 && (wanted !== '' || group.listing.type === 'listed') ? [] : [{ group, rows }];
  });
  if (wanted === '' || found.length > 0) return found;
  const named = answer.value.groups.filter(({ takesNames }) => takesNames);
  return named.map((group) => ({ group, rows: [{ type: 'typed', group, model: wanted }] }));
});

function allRows(group: ModelGroup, value: PanelSettings | null): readonly MenuRow[] {
  const models = group.models.map((model) => rowOf(group, model, value));
  const mayNeedSetUp = group.isCut || group.listing.type === 'failed';
  return mayNeedSetUp ? [...models, { type: 'set_up', group }] : models;
}

/** Returns the rows that match by the name of the model or its provider, best first. */
function matchingRows(group: ModelGroup, wanted: string, value: PanelSettings | null): readonly MenuRow[] {
  const isProvider = fuzzyMatch(wanted, group.title) !== undefined;
  return group.models
    .flatMap((model) => {
      const match = fuzzyMatch(wanted, model.label) ?? fuzzyMatch(wanted, model.id);
      if (match === undefined && !isProvider) return [];
      return [{ row: rowOf(group, model, value), score: match?.score ?? Number.NEGATIVE_INFINITY }];
    })
    .toSorted((one, other) => (one.score === other.score ? 0 : other.score - one.score))
    .map(({ row }) => row);
}

function rowOf(group: ModelGroup, model: ModelRow, value: PanelSettings | null): MenuRow {
  const isProvider = value?.model !== null && group.provider === value?.provider;
  return { type: 'model', group, model, isCurrent: isProvider && (value.demo || value.model === model.id) };
}

const rows = computed(() => menuGroups.value.flatMap((group) => group.rows));
export const activeIndex = computed(() => {
  const last = rows.value.length - 1;
  if (chosenIndex.value !== null) return Math.min(chosenIndex.value, last);
  return Math.max(Math.min(0, last), query.value === '' ? rows.value.findIndex(isCurrent) : 0);
});
export const activeRow = computed(() => rows.value[activeIndex.value] ?? null);
export const isAsking = computed(() => answer.value.groups.some(({ listing }) => listing.type === 'asking'));

function isCurrent(row: MenuRow): boolean {
  return row.type === 'model' && row.isCurrent;
}

/** Call when the menu opens. Call the returned function when it closes. */
export function open(): () => void {
  query.value = '';
  chosenIndex.value = null;
  post({ type: 'list_models', id: ++asked });
  return () => {
    afterModelChoice.current = null;
    post({ type: 'close_models' });
  };
}

/** Sets the query, and makes the default row active. */
export function search(text: string): void {
  query.value = text;
  chosenIndex.value = null;
}

/** Moves the active row by 1 or -1; after the last row comes the first. */
export function step(by: number): void {
  const count = rows.peek().length;
  if (count > 0) chosenIndex.value = (activeIndex.peek() + by + count) % count;
}

/** Makes the row at an index active; the index is clamped to the list. */
export function moveTo(index: number): void {
  chosenIndex.value = Math.max(0, Math.min(index, rows.peek().length - 1));
}

/** Chooses the model of the row, or sets up its provider. */
export function take(row: MenuRow): void {
  const { provider } = row.group;
  switch (row.type) {
    case 'model':
      return chooseModel(provider, row.model.id);
    case 'typed':
      return chooseModel(provider, row.model);
    case 'set_up':
      return setUpProvider(provider);
  }
}

function chooseModel(provider: string, model: string): void {
  choose({ type: 'model', provider, model });
  afterModelChoice.current?.();
  afterModelChoice.current = null;
}

/** Takes the models that the host has found. The active row stays active when rows arrive before it. */
export function receiveModels(message: HostMessage): void {
  if (message.type !== 'models' || message.id !== asked) return;
  const before = answer.peek();
  const { id, groups } = message;
  const selected = chosenIndex.peek() === null ? null : activeRow.peek();
  answer.value = before.id === id ? { id, groups: merged(before.groups, groups) } : { id, groups };
  if (selected !== null)
    chosenIndex.value = Math.max(
      0,
      rows.peek().findIndex((row) => isSame(row, selected)),
    );
}

function merged(groups: readonly ModelGroup[], newer: readonly ModelGroup[]): readonly ModelGroup[] {
  const kept = groups.map((group) => newer.find(({ provider }) => provider === group.provider) ?? group);
  return [...kept, ...newer.filter(({ provider }) => groups.every((group) => group.provider !== provider))];
}

function isSame(row: MenuRow, other: MenuRow): boolean {
  if (row.type !== other.type || row.group.provider !== other.group.provider) return false;
  return row.type !== 'model' || other.type !== 'model' || row.model.id === other.model.id;
}
