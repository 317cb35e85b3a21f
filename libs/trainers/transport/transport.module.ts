import { Module } from '@nestjs/common';
import { HttpTransport } from './http-transport.js';
import { TransportModuleBase } from './transport.options.js';

/**
 * Gives every dialect the same {@link HttpTransport}. Import `TransportModule.forRoot(…)` once: it is global.
 */
@Module({ providers: [HttpTransport], exports: [HttpTransport] })
export class TransportModule extends TransportModuleBase {}
