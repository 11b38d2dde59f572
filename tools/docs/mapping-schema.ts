import { mappingSchema } from '../../packages/gateway/src/adapters/settlement-files/mapping-file.ts'

/** The published schema of mappings of acquirers' settlement files. */
export const MAPPING_SCHEMA = 'docs/schemas/tollgate-settlement-mapping-v1.json'

export function mappingSchemaText(): string {
  return `${JSON.stringify(mappingSchema(), null, 2)}\n`
}
