import ContentGate
import FrontDoors
import Gatefold
import Settings

/// The check that every path leads to one publication and one front door, because publications can choose paths.
extension GatefoldConfiguration {
    /// - Parameter section: The `publications` section.
    func checkPaths(_ section: SettingsSection) throws(SettingsError) {
        for publication in publications {
            let id = publication.publication.id.rawValue
            if let conflict = bakerConflict(of: publication) { throw section.error(id, expected: conflict) }
            if let conflict = softphoneConflict(of: publication) { throw section.error(id, expected: conflict) }
        }
    }

    private func bakerConflict(of publication: PublicationConfiguration) -> String? {
        guard let baker = publication.storefront?.baker else { return nil }
        if let name = publicationNames.first(where: baker.firstPathSegments.contains) {
            return "has a path in `baker` that begins with the publication \(name)"
        }
        guard baker.beginsWithApp else { return nil }
        let taken = PublicationConfiguration.reserved.union(publicationNames)
            .union(publications.compactMap { $0.content?.firstSegment })
            .union(publications.flatMap { $0.storefront?.baker?.firstPathSegments ?? [] })
        return publication.apps.first(where: taken.contains).map { app in
            "has a path in `baker` that begins with :app_id, and an app `\(app)`, with which other paths begin"
        }
    }

    private func softphoneConflict(of publication: PublicationConfiguration) -> String? {
        guard let path = publication.cloudSoftphone?.path else { return nil }
        let id = publication.publication.id
        for other in publications where other.publication.id != id {
            if other.cloudSoftphone?.path == path {
                return "has the path \(path) in `cloud_softphone`, as \(other.publication.id) does"
            }
            if path.hasPrefix("/\(other.publication.id)/") || path == "/\(other.publication.id)" {
                return "has a path in `cloud_softphone` that begins with the publication \(other.publication.id)"
            }
        }
        for other in publications {
            if let prefix = other.content?.prefix, "\(path)/".hasPrefix(prefix) {
                return "has the path \(path) in `cloud_softphone`, below content.prefix of \(other.publication.id)"
            }
            if other.storefront?.baker?.hasCall(at: path, of: other.apps) == true {
                return
                    "has the path \(path) in `cloud_softphone`, which is a path in `baker` of \(other.publication.id)"
            }
        }
        return nil
    }

    private var publicationNames: [String] { publications.map(\.publication.id.rawValue) }
}
