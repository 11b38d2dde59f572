// Imported before files of the simulation: Node's test runner then follows no promises. It has a
// hook on each, to find the test whose work throws where nothing catches. The simulation makes
// promises by the million, and computed for twice as long with the hook as without.
//
// An error that nothing catches still fails the file, but often no test of it. The runner also
// finds the parent of a test by the hook, so files that share a process need it.
import hooks from 'node:async_hooks'

const { createHook } = hooks
// The runner takes the function once, as it loads.
Object.assign(hooks, {
  createHook: (callbacks: hooks.HookCallbacks) =>
    createHook({ ...callbacks, trackPromises: false }),
})
await import('node:test')
Object.assign(hooks, { createHook })
