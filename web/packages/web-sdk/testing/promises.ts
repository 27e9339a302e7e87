/** What a promise of the contract is, as a type: true where it is kept. Used by `contract.ts`. */

export type Is<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
export type IsAny<T> = 0 extends 1 & T ? true : false;
/** Whether a member is there and has a type. */
export type Has<Of, Name extends PropertyKey> = Name extends keyof Of ? (IsAny<Of[Name]> extends true ? false : true) : false;
export type Gives<Of, Name extends PropertyKey, What> = Name extends keyof Of ? (Of[Name] extends (...given: never) => infer Back ? Is<Back, What> : false) : false;
/** Whether an event has exactly this payload, each part with a type. */
export type Tells<Of, Name extends PropertyKey, Parts extends PropertyKey> = Name extends keyof Of
  ? Is<keyof NonNullable<Of[Name]>, Parts> extends true ? (true extends IsAny<NonNullable<Of[Name]>[keyof NonNullable<Of[Name]>]> ? false : true) : false
  : false;
export type Holds<T extends true> = T;
