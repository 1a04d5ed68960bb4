import Gatefold
import HTTPTypes
package import Settings

/// The front door for the sample reading app: a page at `/` that makes the calls of a Pugpig app in a browser, and shows each
/// request and response. It is for the sample configuration, because it shows the credentials of its readers.
package struct SampleAppFrontDoor: FrontDoor {
    package typealias PublicationSettings = SampleAppSettings

    package static let name = "Sample app"
    package static let pathSegments: Set<String> = ["sample-app"]

    package init() {}

    package static func settings(
        in section: SettingsSection, of publication: PublicationOutline
    ) throws(SettingsError) -> SampleAppSettings? {
        guard section.has("sample_app") else { return nil }
        return try SampleAppSettings(
            try section.section("sample_app"), proofs: publication.publication.credentialFields.proofs)
    }

    package static func check(_ outline: ConfigurationOutline) throws(SettingsError) {
        let shown = outline.publications.filter { $0.frontDoors[SampleAppFrontDoor.self] != nil }
        if shown.count > 1 {
            throw outline.error(shown[1], expected: "expected sample_app in one publication, because the page is at /")
        }
        if let publication = shown.first, publication.frontDoors[PugpigFeedDoor.self] == nil {
            throw outline.error(publication, expected: "expected a feed, because the sample app shows its editions")
        }
    }

    package func snapshot(
        of publications: ServedPublications, using services: FrontDoorServices
    ) -> any FrontDoorSnapshot {
        for publication in publications.all {
            if let settings = publication.settings[SampleAppFrontDoor.self] {
                return SampleAppSnapshot(SampleAppPage(publication.authorizationService.publication, settings))
            }
        }
        return SampleAppSnapshot(nil)
    }
}

/// The page of the publication that has the sample app; no route without one.
private struct SampleAppSnapshot: FrontDoorSnapshot {
    private let page: SampleAppPage?

    init(_ page: SampleAppPage?) {
        self.page = page
    }

    func addRoutes(to routes: inout Routes) {
        guard let page else { return }
        for file in page.files {
            routes.on(RoutePattern(file.path), methods: .only([.get, .head])) { _, _ in file.response }
        }
    }
}
