import { Module } from '@nestjs/common';
import { ModuleLoader } from '../../loading/module-loader.js';
import { ValidationService } from '../../validation/validation.service.js';
import { ValidateCommand } from './validate.command.js';

/** `osmosis validate`, and what it calls. */
@Module({ providers: [ValidateCommand, ModuleLoader, ValidationService] })
export class CommandModule {}
