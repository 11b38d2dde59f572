const HEADING = /^## Unreleased\n/m
const NEVER = / Nothing has been released yet\./

/**
 * Turns the section "Unreleased" into that of a version, below a new and empty one.
 * @param day as YYYY-MM-DD
 * @throws Error if there is no such section, or nothing in it
 */
export function withSection(changelog: string, version: string, day: string): string {
  const notes = notesOf(changelog, 'Unreleased')
  if (notes === '') throw new Error('CHANGELOG.md has nothing under "Unreleased" to release.')
  return changelog.replace(NEVER, '').replace(HEADING, `## Unreleased\n\n## ${version} (${day})\n`)
}

/**
 * The text of a section, without its heading.
 * @param name `Unreleased`, or a version
 */
export function notesOf(changelog: string, name: string): string {
  const parts = changelog.split(/^## /m)
  const part = parts.find((one) => one.startsWith(`${name}\n`) || one.startsWith(`${name} (`))
  if (part === undefined) throw new Error(`CHANGELOG.md has no section "${name}".`)
  return part.slice(part.indexOf('\n')).trim()
}
