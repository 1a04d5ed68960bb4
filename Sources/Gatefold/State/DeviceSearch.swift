/// A store that finds the readers of a device, for an operator.
///
/// An error means that the store could not be queried.
package protocol DeviceSearch: Sendable {
    /// Returns the subscribers with a device in a publication, in the order of their pseudonyms. The store reads all devices
    /// of the publication, because no request of a reader needs an index for this.
    func subscribers(
        with device: DevicePseudonym, in publication: PublicationID, limit: Int
    ) async throws -> [SubscriberPseudonym]
}
