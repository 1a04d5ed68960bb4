import Settings

/// The settings of the sample reading app: the readers whose credentials it offers.
package struct SampleAppSettings: Sendable, Equatable {
    /// A reader of the sample data. The credentials are public.
    package struct Reader: Sendable, Equatable {
        package let identifier: String
        /// The values of the publication's proofs, in their order.
        package let proofs: [String]
        /// What the reader shows, in a few words.
        package let about: String
    }

    package let readers: [Reader]

    /// - Throws: `SettingsError` if a reader has another number of proofs than the publication.
    init(_ section: SettingsSection, proofs: [String]) throws(SettingsError) {
        var readers: [Reader] = []
        for section in try section.sections("readers") {
            let reader = Reader(
                identifier: try section.requiredString("identifier"), proofs: try section.strings("proofs") ?? [],
                about: try section.string("about", default: ""))
            guard reader.proofs.count == proofs.count else {
                throw section.error(
                    "proofs", expected: "expected a value for each of: \(proofs.joined(separator: ", "))")
            }
            try section.finish()
            readers.append(reader)
        }
        self.readers = readers
        try section.finish()
    }
}
