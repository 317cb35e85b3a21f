export const OSMOSIS_V03_DIALECT = 'osmosis-v0.3';
