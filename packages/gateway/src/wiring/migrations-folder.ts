import { fileURLToPath } from 'node:url'

/** Where the numbered SQL files lie, seen from the sources and from the build alike. */
export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../../../migrations', import.meta.url))
