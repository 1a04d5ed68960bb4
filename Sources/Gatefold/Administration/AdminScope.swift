/// What a user of the admin API may do, and in which publications.
package struct AdminScope: Sendable, Hashable {
    package let role: AdminRole
    /// The publications; nil for all, also those that a later configuration adds.
    package let publications: Set<PublicationID>?

    package init(_ role: AdminRole, in publications: Set<PublicationID>? = nil) {
        self.role = role
        self.publications = publications
    }

    package func includes(_ publication: PublicationID) -> Bool { publications?.contains(publication) ?? true }
}
