import Gatefold
import HTTPTypes
import Hummingbird
import JSON
import NIOCore

/// The files of the sample app.
struct SampleAppPage: Sendable {
    struct File: Sendable {
        let path: String
        let type: String
        let body: ByteBuffer

        var response: Response {
            Response(
                status: .ok,
                headers: [
                    .contentType: type, .contentSecurityPolicy: SampleAppPage.policy, .xContentTypeOptions: "nosniff",
                ],
                body: ResponseBody(byteBuffer: body))
        }
    }

    /// The policy permits the page's own script, style and calls only. No other page may frame it.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; "
        + "base-uri 'none'; frame-ancestors 'none'"

    let files: [File]

    init(_ publication: Publication, _ settings: SampleAppSettings) {
        func file(_ location: String, _ type: String, _ content: [UInt8]) -> File {
            File(path: location, type: type, body: ByteBuffer(bytes: content))
        }
        files = [
            file("/", "text/html; charset=utf-8", PackageResources.index_html),
            file("/sample-app/app.js", "text/javascript; charset=utf-8", PackageResources.app_js),
            file("/sample-app/style.css", "text/css; charset=utf-8", PackageResources.style_css),
            file("/sample-app/icon.svg", "image/svg+xml", PackageResources.icon_svg),
            file("/sample-app/settings.json", JSONResponse.type, Self.document(publication, settings)),
        ]
    }

    /// Returns what the script must know of the publication.
    private static func document(_ publication: Publication, _ settings: SampleAppSettings) -> [UInt8] {
        JSONWriter.bytes([
            "publication": .string(publication.id.rawValue),
            "identifier": .string(publication.credentialFields.identifier),
            "proofs": .array(publication.credentialFields.proofs.map { .string($0) }),
            "device": publication.deviceField.map { .string($0) } ?? .null,
            "readers": .array(
                settings.readers.map { reader in
                    [
                        "identifier": .string(reader.identifier),
                        "proofs": .array(reader.proofs.map { .string($0) }), "about": .string(reader.about),
                    ]
                }),
        ])
    }
}
