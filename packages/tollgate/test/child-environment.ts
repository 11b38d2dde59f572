/** The part of this process' own environment that a started program gets, as far as it is there. */
export const CHILD_ENVIRONMENT: Readonly<Record<string, string>> = Object.fromEntries(
  // `npm test` keeps compiled sources and bundled programs for all processes of its run.
  ['PATH', 'NODE_COMPILE_CACHE', 'TOLLGATE_TEST_PROGRAMS'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  }),
)
