import BackendFixtures
import Foundation
import Gatefold
import TestSupport
import Testing

/// Compares all of Unicode with a real database.
@Suite("Look-alike skeleton and MariaDB's collations", .serialized, .timeLimit(.minutes(20)))
struct CollationWeightsTests {
    @Test(
        "Pitfall 22: letters of the same weights have the same skeleton",
        arguments: [
            "utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb4_unicode_520_ci", "utf8mb4_uca1400_ai_ci",
            "latin1_swedish_ci",
        ])
    func letters(collation: String) async throws {
        let set = collation.split(separator: "_")[0]
        try await MariaDBInstance.run { instance in
            // The planes with letters, and the joiners and tags of plane fourteen.
            let rows = try await instance.execute(
                """
                SELECT seq, HEX(WEIGHT_STRING(CONVERT(CAST(CONVERT(UNHEX(LPAD(HEX(seq), 8, '0')) USING utf32)
                    AS CHAR CHARACTER SET utf8mb4) USING \(set)) COLLATE \(collation)))
                FROM seq_128_to_918000 WHERE seq < 55296 OR seq BETWEEN 57344 AND 205744 OR seq > 917504
                """)
            var classes: [Substring: (first: Unicode.Scalar, skeleton: String)] = [:]
            var count = 0
            for row in rows.split(separator: "\n") {
                let columns = row.split(separator: "\t", omittingEmptySubsequences: false)
                guard columns.count == 2, let number = UInt32(columns[0]), let scalar = Unicode.Scalar(number),
                    Self.isLetterOrMark(scalar),
                    // Excludes characters that the collation or the character set does not know.
                    columns[1] != "FFFD", set != "latin1" || columns[1] != "3F"
                else { continue }
                count += 1
                let skeleton = LookAlikeSkeleton.of(String(Character(scalar)))
                if let known = classes[columns[1]] {
                    let pair = [known.first, scalar].map { $0.escaped(asASCII: true) }
                    #expect(known.skeleton == skeleton, "\(pair)")
                } else {
                    classes[columns[1]] = (scalar, skeleton)
                }
            }
            #expect(count > (set == "latin1" ? 50 : 40_000))
        }
    }

    private static func isLetterOrMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .unassigned, .privateUse, .surrogate: false
        default: true
        }
    }
}
