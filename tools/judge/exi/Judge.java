import com.siemens.ct.exi.core.CodingMode;
import com.siemens.ct.exi.core.EXIFactory;
import com.siemens.ct.exi.core.EncodingOptions;
import com.siemens.ct.exi.core.FidelityOptions;
import com.siemens.ct.exi.core.helpers.DefaultEXIFactory;
import com.siemens.ct.exi.main.api.sax.EXIResult;
import com.siemens.ct.exi.main.api.sax.SAXFactory;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeSet;
import javax.xml.parsers.SAXParserFactory;
import org.xml.sax.Attributes;
import org.xml.sax.InputSource;
import org.xml.sax.XMLReader;
import org.xml.sax.ext.DefaultHandler2;

/**
 * EXIficient as a judge.
 *
 * <p>{@code encode OPTIONS XML EXI} writes a stream, {@code time OPTIONS EXI COUNT} prints the
 * shortest time of a decoding in microseconds, and {@code pairs LIST} compares the documents of two
 * streams for each line of a list: options, and two files, with tabs between.
 */
public final class Judge {
    private static EXIFactory factory(String options) throws Exception {
        EXIFactory factory = DefaultEXIFactory.newInstance();
        FidelityOptions keep = FidelityOptions.createDefault();
        factory.setFidelityOptions(keep);
        for (String option : options.split(",")) {
            String[] parts = option.split("=");
            switch (parts[0]) {
                case "byte" -> factory.setCodingMode(CodingMode.BYTE_PACKED);
                case "precompression" -> factory.setCodingMode(CodingMode.PRE_COMPRESSION);
                case "compression" -> factory.setCodingMode(CodingMode.COMPRESSION);
                case "fragment" -> factory.setFragment(true);
                case "comments" -> keep.setFidelity(FidelityOptions.FEATURE_COMMENT, true);
                case "pis" -> keep.setFidelity(FidelityOptions.FEATURE_PI, true);
                case "dtd" -> keep.setFidelity(FidelityOptions.FEATURE_DTD, true);
                case "prefixes" -> keep.setFidelity(FidelityOptions.FEATURE_PREFIX, true);
                case "lexical" -> keep.setFidelity(FidelityOptions.FEATURE_LEXICAL_VALUE, true);
                case "selfContained" -> keep.setFidelity(FidelityOptions.FEATURE_SC, true);
                case "valueMaxLength" -> factory.setValueMaxLength(Integer.parseInt(parts[1]));
                case "valuePartitionCapacity" -> factory.setValuePartitionCapacity(Integer.parseInt(parts[1]));
                case "blockSize" -> factory.setBlockSize(Integer.parseInt(parts[1]));
                case "options" -> factory.getEncodingOptions().setOption(EncodingOptions.INCLUDE_OPTIONS);
                case "cookie" -> factory.getEncodingOptions().setOption(EncodingOptions.INCLUDE_COOKIE);
                case "canonical" -> factory.getEncodingOptions().setOption(EncodingOptions.CANONICAL_EXI);
                case "" -> {}
                default -> throw new IllegalArgumentException(option);
            }
        }
        return factory;
    }

    /** Writes a document's events down. */
    private static final class Lines extends DefaultHandler2 {
        private final StringBuilder lines = new StringBuilder();
        private final StringBuilder text = new StringBuilder();

        private void flush() {
            if (text.length() > 0) {
                lines.append("text ").append(text).append('\n');
                text.setLength(0);
            }
        }

        @Override
        public void startElement(String uri, String local, String name, Attributes attributes) {
            flush();
            lines.append("start {").append(uri).append('}').append(local).append('\n');
            TreeSet<String> sorted = new TreeSet<>();
            for (int n = 0; n < attributes.getLength(); n++) {
                if (!attributes.getURI(n).equals("http://www.w3.org/2000/xmlns/")) {
                    sorted.add("{" + attributes.getURI(n) + "}" + attributes.getLocalName(n) + " " + attributes.getValue(n));
                }
            }
            sorted.forEach(attribute -> lines.append(attribute).append('\n'));
        }

        @Override
        public void endElement(String uri, String local, String name) {
            flush();
            lines.append("end\n");
        }

        @Override
        public void characters(char[] characters, int start, int length) {
            text.append(characters, start, length);
        }

        @Override
        public void comment(char[] characters, int start, int length) {
            flush();
            lines.append("comment ").append(characters, start, length).append('\n');
        }

        @Override
        public void processingInstruction(String target, String data) {
            flush();
            lines.append("instruction ").append(target).append(' ').append(data).append('\n');
        }

        private String all() {
            flush();
            return lines.toString();
        }
    }

    private static String read(String options, String file) throws Exception {
        Lines lines = new Lines();
        XMLReader reader = new SAXFactory(factory(options)).createEXIReader();
        reader.setContentHandler(lines);
        reader.setProperty("http://xml.org/sax/properties/lexical-handler", lines);
        reader.parse(new InputSource(new ByteArrayInputStream(Files.readAllBytes(Path.of(file)))));
        return lines.all();
    }

    private static void encode(String options, String xml, String exi) throws Exception {
        EXIResult result = new EXIResult(factory(options));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        result.setOutputStream(out);
        SAXParserFactory parsers = SAXParserFactory.newInstance();
        parsers.setNamespaceAware(true);
        XMLReader reader = parsers.newSAXParser().getXMLReader();
        reader.setContentHandler(result.getHandler());
        reader.setProperty("http://xml.org/sax/properties/lexical-handler", result.getHandler());
        reader.setProperty("http://xml.org/sax/properties/declaration-handler", result.getHandler());
        reader.parse(xml);
        Files.write(Path.of(exi), out.toByteArray());
    }

    private static double time(String options, String exi, int count) throws Exception {
        EXIFactory factory = factory(options);
        byte[] bytes = Files.readAllBytes(Path.of(exi));
        double best = Double.MAX_VALUE;
        for (int n = 0; n < count; n++) {
            XMLReader reader = new SAXFactory(factory).createEXIReader();
            int[] total = new int[1];
            reader.setContentHandler(new DefaultHandler2() {
                @Override
                public void startElement(String uri, String local, String name, Attributes attributes) {
                    total[0] += local.length();
                }

                @Override
                public void characters(char[] characters, int start, int length) {
                    total[0] += length;
                }
            });
            long start = System.nanoTime();
            reader.parse(new InputSource(new ByteArrayInputStream(bytes)));
            best = Math.min(best, (System.nanoTime() - start) / 1e3);
        }
        return best;
    }

    private static int pairs(String list) throws Exception {
        int same = 0;
        int other = 0;
        for (String line : Files.readAllLines(Path.of(list))) {
            String[] parts = line.split("\t");
            String first = read(parts[0], parts[1]);
            String second;
            try {
                second = read(parts[0], parts[2]);
            } catch (Exception exception) {
                second = exception.toString();
            }
            if (first.equals(second)) {
                same++;
            } else {
                other++;
                System.out.println("EXIficient reads another document: " + parts[1] + ", " + parts[0]);
            }
        }
        System.out.println("EXIficient reads " + same + " of " + (same + other) + " streams that are written again");
        return other;
    }

    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "encode" -> encode(arguments[1], arguments[2], arguments[3]);
            case "time" -> System.out.println(time(arguments[1], arguments[2], Integer.parseInt(arguments[3])));
            default -> System.exit(pairs(arguments[1]) == 0 ? 0 : 1);
        }
    }
}
