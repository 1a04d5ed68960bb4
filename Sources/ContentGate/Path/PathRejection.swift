/// The reason why a request target was not parsed to a path. It is for logs; the client does not receive it.
public enum PathRejection: String, Error, Sendable, CaseIterable, CustomStringConvertible {
    case notAPath = "the target is neither a path nor an http or https URL with a plain authority"
    case tooLong = "the path exceeds 2,048 bytes or one of its segments 255"
    case illegalByte = "the path contains a raw space or a raw byte outside ASCII"
    case controlCharacter = "the path contains a control or invisible formatting character"
    case malformedEscape = "a percent sign is not followed by two hexadecimal digits"
    case encodedDelimiter = "the path contains an encoded slash, percent sign, question mark or number sign"
    case fragment = "the target has a fragment"
    case backslash = "the path contains a backslash"
    case matrixParameter = "the path contains a semicolon"
    case emptySegment = "the path contains two slashes in a row"
    case dotSegment = "a segment is `.` or `..`"
    case edgeOfSegment = "a segment begins or ends with white space, or ends with a dot"
    case invalidUTF8 = "the decoded path is not UTF-8"
    case notNormalised = "the decoded path is not in Unicode normalisation form C"

    public var description: String { rawValue }
}
