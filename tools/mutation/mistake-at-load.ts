// Imported before a test file: puts a known mutant into its source while that is loaded.
// The environment names the mutant. Tests that read the file get the mistake too.
import fs from 'node:fs'
import { registerHooks, stripTypeScriptTypes, syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { KNOWN_MUTANTS, type KnownMutant } from './known-mutants.ts'
import { withMistake } from './known-run.ts'
import { ROOT } from './scope.ts'

const name = process.env['TOLLGATE_MUTANT']
if (name !== undefined) {
  const mutant = KNOWN_MUTANTS.find((each) => each.name === name)
  if (mutant === undefined) throw new Error(`TOLLGATE_MUTANT names no known mutant: ${name}`)
  putIn(mutant)
}

function putIn(mutant: KnownMutant): void {
  const file = join(ROOT, mutant.file)
  const text = withMistake(mutant, fs.readFileSync(file, 'utf8'))
  const noteLoaded = (): void => {
    const mark = process.env['TOLLGATE_MUTANT_LOADED']
    if (mark !== undefined) fs.writeFileSync(mark, '')
  }
  registerHooks({
    load: (url, context, next) => {
      if (pathOf(url) !== file) return next(url, context)
      noteLoaded()
      return { format: 'module', source: stripTypeScriptTypes(text), shortCircuit: true }
    },
  })
  const { readFileSync } = fs
  const readMistaken = (path: fs.PathOrFileDescriptor, options?: BufferEncoding): unknown => {
    if (options === undefined) return readFileSync(path)
    if (options !== 'utf8' || pathOf(String(path)) !== file) return readFileSync(path, options)
    noteLoaded()
    return text
  }
  fs.readFileSync = readMistaken as typeof readFileSync
  syncBuiltinESMExports()
}

/** The path of an address or a path. */
function pathOf(place: string): string {
  return place.startsWith('file:') ? fileURLToPath(place.split('?')[0] ?? '') : place
}
