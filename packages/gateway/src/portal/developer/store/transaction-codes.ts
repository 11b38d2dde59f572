import type pg from 'pg'

/** The data of a transaction's response beside its codes; null for another merchant's. */
export function createTransactionCodes(pool: pg.Pool) {
  return async (merchantId: bigint, transactionId: bigint) => {
    const { rows } = await pool.query<{
      processorCode: string
      processorAdvice: string
      industryCode: string
      industryAdvice: string
      responseCode: string
      avsCode: string
      cvvCode: string
    }>(
      `select processor_code as "processorCode", processor_advice as "processorAdvice",
              industry_code as "industryCode", industry_advice as "industryAdvice",
              response_code as "responseCode", avs_code as "avsCode", cvv_code as "cvvCode"
         from transactions where id = $2 and merchant_id = $1`,
      [merchantId, transactionId],
    )
    return rows[0] ?? null
  }
}
