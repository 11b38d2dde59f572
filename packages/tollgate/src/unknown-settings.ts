import { SECRET_FILES, SETTINGS } from '@tollgate/gateway/config'
import { nearestName } from './command-forms.ts'

/** Shorter names of an environment are often near a setting's: npm sets NODE beside our MODE. */
const SHORTEST_LIKENESS = 6

/** Settings of the bank's program when it runs by itself, and of tests. */
const OF_OTHERS = /^(?:BANK_(?:PROFILE|TRIGGERS|TLS_(?:CERT|KEY|CLIENT_CA))|TOLLGATE_.*)$/

/**
 * Warnings about names that are no settings: each one of the `.env` file, and those of the
 * environment that are nearly a setting's name.
 */
export function unknownSettings(
  fileNames: readonly string[],
  environmentNames: readonly string[],
): string[] {
  const settings = [...Object.keys(SETTINGS), ...SECRET_FILES]
  const inFile = new Set(fileNames)
  const unknown = [...new Set([...fileNames, ...environmentNames])].filter(
    (name) => !settings.includes(name) && !OF_OTHERS.test(name),
  )
  return unknown.flatMap((name) => {
    const nearest = nearestName(name, settings)
    const meant = nearest === null ? '' : ` Did you mean ${nearest}?`
    if (inFile.has(name)) return [`${name} in .env is no setting of Tollgate.${meant}`]
    if (nearest === null || name.length < SHORTEST_LIKENESS) return []
    return [`${name} is no setting of Tollgate.${meant}`]
  })
}
