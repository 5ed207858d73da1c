#!/usr/bin/env node
/** The command line (docs/cli.md). Everything else is in a file of its own, so that it can come from the code cache. */
import { storeCodeCaches } from './node/codeCache.ts';

void import('./cli/commandLine.ts').then(({ run }) => run(storeCodeCaches));
