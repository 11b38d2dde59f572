import { z } from 'zod'

/** The 3-D Secure settings of a site, as a body has them. The hosts are judged further. */
export const THREE_DS_POLICY = z.strictObject({
  required: z.boolean(),
  whenUnavailable: z.enum(['authorize', 'decline']),
  paResRequired: z.boolean(),
  challengePreference: z
    .string()
    .pipe(z.enum(['01', '02', '03', '04']))
    .nullable(),
  returnHosts: z.array(z.string().max(253)).max(100),
})
