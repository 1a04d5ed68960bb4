/// A store of the devices from which readers have signed in successfully, for the login throttle. A call that returns
/// has written its changes to disk.
///
/// An error means that the store could not be queried or could not store a change.
public protocol KnownDeviceStore: Sendable {
    /// Records that the client with this digest has signed in successfully (see ``LoginThrottle``).
    ///
    /// - Parameters:
    ///   - digest: The digest of the client.
    ///   - identifier: A digest of the sign-in identifier. The store retains the latest
    ///     ``KnownDeviceStore/maxKnownDevicesPerIdentifier`` clients of each identifier.
    /// - Returns: True if the client was not known before.
    @discardableResult
    func recordKnownDevice(_ digest: [UInt8], of identifier: [UInt8]) async throws -> Bool

    func isKnownDevice(_ digest: [UInt8]) async throws -> Bool
}

extension KnownDeviceStore {
    /// The maximum number of known devices per identifier: 50. No reader has more devices. A client that signs in
    /// from a new device each time leaves no more records.
    public static var maxKnownDevicesPerIdentifier: Int { 50 }
}
