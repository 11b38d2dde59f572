import type { Site } from '../../usecases/merchants/merchant-directory.ts'
import type { Operation } from './parameters.ts'

type Params = ReadonlyMap<string, string>

/** XTL_UDF01 to XTL_UDF20. */
export const MERCHANT_FIELD = /^XTL_UDF(?:0[1-9]|1[0-9]|20)$/

/**
 * The parameters as the tolerance of a site reads them (R11). A wide site does not judge
 * CUST_PASSWORD, which is never kept, and knows the receipt of CCTRANSUPDATE by the name RECEIPT
 * too. A strict site ignores the merchant's own fields on CCTRANSUPDATE.
 */
export function parametersFor(
  { tolerance }: Pick<Site, 'tolerance'>,
  operation: Operation,
  params: Params,
): Params {
  const isUpdate = operation === 'update_transaction'
  if (tolerance !== 'wide') {
    return isUpdate ? new Map([...params].filter(([name]) => !MERCHANT_FIELD.test(name))) : params
  }
  const receipt = isUpdate ? params.get('RECEIPT') : undefined
  if (!params.has('CUST_PASSWORD') && receipt === undefined) return params
  const read = new Map(params)
  read.delete('CUST_PASSWORD')
  if (receipt !== undefined && !read.has('TRANS_CUSTOMER_RECEIPT')) {
    read.set('TRANS_CUSTOMER_RECEIPT', receipt)
  }
  return read
}
