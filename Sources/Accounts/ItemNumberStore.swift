public import Gatefold

/// A store of the numbers by which apps refer to items for sale. Data is on disk when a call returns.
///
/// A thrown error means that the store was unavailable or could not write.
public protocol ItemNumberStore: Sendable {
    /// Returns the numbers of these names in the publication, and assigns a number to each new name. A number never
    /// changes its name.
    ///
    /// - Parameters:
    ///   - names: The names of items for sale, such as ``SaleItem/name``.
    ///   - publication: The identifier of the publication.
    /// - Returns: One number for each name, from ``SaleItem/firstAssigned`` upwards.
    func itemNumbers(of names: [String], in publication: PublicationID) async throws -> [String: Int64]

    /// Returns the name that a number represents, or nil if the number is not assigned.
    func itemName(numbered number: Int64, in publication: PublicationID) async throws -> String?
}
