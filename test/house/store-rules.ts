import { withoutComments } from './source-text.ts'

/** The folders that lock, read and write, and decide nothing. */
const STORES = /^packages\/gateway\/src\/(?:adapters\/postgres|portal\/[^/]+\/store)\//

/** The decisions in a store that belong to a use case or the domain, a sentence each. */
export function storeBreaches(path: string, text: string): string[] {
  if (!STORES.test(path)) return []
  return rulesIn(text).map((why) => `${path} ${why}; a use case or the domain has to.`)
}

function rulesIn(text: string): string[] {
  const code = withoutComments(text)
  const rules: string[] = []
  if (/\bmayDo\(/.test(code)) rules.push('asks what a role may do')
  if (importsRefusals(code) || /\bok: false,\s*(?:kind|faults)\b/.test(code)) {
    rules.push('makes a refusal')
  }
  return rules
}

/** The type of a refusal may be imported: a store may pass a result on. */
function importsRefusals(code: string): boolean {
  const imports = /\bimport \{([^}]*)\} from '[^']*\/(?:refusal|refused-[\w-]+)\.ts'/g
  return [...code.matchAll(imports)].some(([, names = '']) =>
    names.split(',').some((name) => name.trim() !== '' && !name.trim().startsWith('type ')),
  )
}
