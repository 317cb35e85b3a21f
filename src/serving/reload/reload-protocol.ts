/**
 * Variable that the watching process sets for each server it starts; its value is the API key that it has generated for
 * all of them, so that callers need not learn a new one at every change. Not called `OSMOSIS_…`: it is no setting.
 */
export const RELOAD_CHILD = 'NESTJS_OSMOSIS_RELOAD_CHILD';
