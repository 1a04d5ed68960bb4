/// The parts of a state that the use cases of an ``AuthorizationService`` need.
public protocol SessionStore: DeviceStore, RevocationStore, KnownDeviceStore {}
