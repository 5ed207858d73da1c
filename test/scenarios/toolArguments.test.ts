// Every tool that is offered by default, with arguments that are missing, of another type, odd or unknown.
import { expect, it } from 'vitest';
import { calls, says } from '../support/modelServer.ts';
import { startScenario } from '../support/startScenario.ts';

interface Offered {
  readonly name: string;
  readonly parameters: { readonly properties?: Record<string, unknown>; readonly required?: readonly string[] };
}

const ODD = [null, 12.5, -1, [], {}, '\0', '__proto__'];
/** Texts of a program's own faults, which are no sentence for a model. */
const FAULT = /TypeError|\[object |Cannot read prop|is not a function|ZodError|Received '|^ +at /m;

/** Arguments without those that are required, with one that is unknown, and with each in turn as something odd. */
function oddArguments({ parameters: { properties = {}, required = [] } }: Offered): readonly object[] {
  const rest = Object.fromEntries(required.map((name) => [name, 'true']));
  return [
    {},
    { no_such_argument: 1 },
    ...Object.keys(properties).flatMap((name) => ODD.map((odd) => ({ ...rest, [name]: odd }))),
  ];
}

it('every tool answers arguments that are missing, of another type or unknown with a sentence for the model', async () => {
  const made: { readonly tool: string; readonly args: object }[] = [];
  await using chat = await startScenario({
    policy: 'never',
    interactive: false,
    sandbox: 'danger-full-access',
    model: (request, index) => {
      if (index > 0) return [says('Done.')];
      const offered = (JSON.parse(request.tools ?? '[]') as readonly Offered[]).filter(({ parameters }) => parameters);
      made.push(...offered.flatMap((tool) => oddArguments(tool).map((args) => ({ tool: tool.name, args }))));
      return made.map(({ tool, args }) => calls(tool, args));
    },
  });
  expect(await chat.send('go')).toEqual({ type: 'turn_completed', lastMessage: 'Done.' });
  const outputs = chat.outputs();
  expect(new Set(made.map(({ tool }) => tool)).size).toBeGreaterThan(8);
  expect(outputs).toHaveLength(made.length);
  const faults = made.flatMap((call, at) => (FAULT.test(outputs[at] ?? '') ? { ...call, output: outputs[at] } : []));
  expect(faults).toEqual([]);
  // Each of them requires an argument.
  const empty = made.flatMap(({ tool, args }, at) =>
    Object.keys(args).length === 0 ? { tool, output: outputs[at] } : [],
  );
  expect(
    empty.filter(({ output }) => !/^Failed to parse the arguments: .* Nothing was run\.$/.test(output ?? '')),
  ).toEqual([]);
});
