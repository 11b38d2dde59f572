'use strict'

/** Tells the page around it, which is the gateway's own, that the issuer's page is through. */
parent.postMessage('tollgate.three-ds.method-done', location.origin)
