/** Gives fast-check the seed of this run, before each file of tests. */
import fc from 'fast-check';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env['TILLER_SEED']) });
