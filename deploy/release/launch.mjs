// Checks the version of Node before it reads the program, in syntax that old versions can read.
const OLDEST = 24
const found = process.versions.node
if (Number(found.split('.')[0]) < OLDEST) {
  process.stderr.write(
    `This is Node ${found} (${process.execPath}); Tollgate needs Node ${OLDEST} or newer. ` +
      'Install one, or set TOLLGATE_NODE to its path.\n',
  )
  process.exit(1)
}
await import('../packages/tollgate/dist/cli.js')
