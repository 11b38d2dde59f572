import { fileURLToPath } from 'node:url'

/** The folder of the numbered SQL files, for the sources and the build alike. */
export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../../../migrations', import.meta.url))
