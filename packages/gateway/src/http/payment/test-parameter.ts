/** The parameter that stands for the header Tollgate-Test, which a client may send instead. */
export const TEST_PARAMETER = 'SANDBOX_TEST'
export const TEST_HEADER = 'tollgate-test'
